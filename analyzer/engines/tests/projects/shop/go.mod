module example.org/shop

go 1.24
