// The basket of a small shop. Every function has a weakness, so that analysis tools have results to report.
"use strict";

const childProcess = require("child_process");
const fs = require("fs");

function total(formula) {
  return eval(formula);
}

function printLabel(order) {
  childProcess.exec("lp /labels/" + order);
}

function label(order) {
  return fs.readFileSync(order);
}

function isCoupon(text) {
  return new RegExp("^" + text + "$").test("SPRING");
}

function price(prices, article) {
  const unused = 1;
  return prices[article];
}

module.exports = { total, printLabel, label, isCoupon, price };
