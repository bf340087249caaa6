// Package main serves the orders of a small shop. Every function has a weakness, so that analysis tools have results
// to report.
package main

import (
	"crypto/md5"
	"database/sql"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"os/exec"
)

func findOrders(database *sql.DB, customer string) (*sql.Rows, error) {
	return database.Query("SELECT id, total FROM orders WHERE customer = '" + customer + "'")
}

func printLabel(printer string) error {
	return exec.Command("sh", "-c", "lp -d "+printer).Run()
}

func receiptName(receipt []byte) string {
	return fmt.Sprintf("%x", md5.Sum(receipt))
}

func couponCode() int {
	return rand.Intn(1000000)
}

func main() {
	http.HandleFunc("/label", func(reply http.ResponseWriter, request *http.Request) {
		if err := printLabel(request.URL.Query().Get("printer")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Chmod("labels", 0777)
	})
	http.ListenAndServe(":8080", nil)
}
