function main() {
  throw "no zone";
}
