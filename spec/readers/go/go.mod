module github.com/coconut-format/coconut/spec/readers/go

go 1.19
