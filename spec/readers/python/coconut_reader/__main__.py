"""python -m coconut_reader {get FILE KEY | info FILE | verify FILE | dump FILE}

Exit codes: 0 done, 1 the file is refused, 2 wrong usage or no such file, 4 no such key."""

import argparse
import json
import sys
from typing import List, Optional

from . import FormatError, open


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="coconut_reader", description="Read Coconut files.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("get", "print all landmarks of a key"), ("info", "print envelope and header"),
                       ("verify", "check everything"), ("dump", "print the document")):
        command = commands.add_parser(name, help=text)
        command.add_argument("file")
        if name == "get":
            command.add_argument("key")
    options = parser.parse_args(arguments)
    try:
        document = open(options.file)
        if options.command == "get":
            found = document.find(options.key)
            for ordinal in found:  # keys need not be unique (§8.1)
                print(document.landmark_json(ordinal, 2, sys.stdout))
            if not found:
                document.check_absent(options.key)
                print(f"no landmark `{options.key}`", file=sys.stderr)
                return 4
        elif options.command == "info":
            parts = [] if document.is_source else sorted(document.file.parts)
            shown = {"envelope": document.envelope.parameters, "header": document.header,
                     "bytes": len(document.data), "parts": parts}
            print(json.dumps(shown, indent=2, default=bytes.hex))
        elif options.command == "verify":
            document.verify()
        else:
            print(document.to_json(2, sys.stdout))
    except FormatError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
