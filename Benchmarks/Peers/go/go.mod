module tern.example/peer

go 1.19
