"""Orders of a small shop. Every function has a weakness, so that analysis tools have results to report."""

import hashlib
import pickle
import sqlite3
import subprocess

import yaml


def find_orders(database: sqlite3.Connection, customer: str) -> list:
    """Returns the orders of a customer."""
    cursor = database.cursor()
    cursor.execute("SELECT id, total FROM orders WHERE customer = '" + customer + "'")
    return cursor.fetchall()


def print_label(order: str) -> int:
    """Prints the label of an order."""
    return subprocess.call("lp -o raw /labels/" + order, shell=True)


def receipt_name(receipt: bytes) -> str:
    """Returns the file name of a receipt."""
    return hashlib.md5(receipt).hexdigest()


def load_basket(stored: bytes) -> object:
    """Reads a basket from its stored form."""
    return pickle.loads(stored)


def load_settings(text: str) -> dict:
    """Reads the settings of the shop."""
    return yaml.load(text)
