module coconut

go 1.19
