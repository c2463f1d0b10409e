"""§2.4 Encoding `+json`: source text instead of a payload, read as §4.1 says."""

import hashlib
import json
from decimal import Decimal
from typing import Any, Dict, List, Tuple

from .canonical import measure
from .envelope import Envelope
from .errors import FormatError, Limits


def read_source(data: Any, envelope: Envelope, limits: Limits) -> Any:
    """The document. Errors have the offset of the text; no code is assigned to bad JSON, so that of values is used."""
    start = envelope.end

    def integer(text: str) -> Any:
        number = int(text)
        if text == "-0":
            return -0.0
        if not -(1 << 63) <= number < 1 << 64:
            raise FormatError("NUM-FORM", start, f"{text} is out of range")
        return number

    def real(text: str) -> float:
        number = float(text)
        if number - number != 0 or Decimal(repr(number)) != Decimal(text):
            raise FormatError("NUM-FORM", start, f"{text} is no float")
        return number

    def distinct(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            raise FormatError("VAL-DUPKEY", start, "a key stands twice in one object")
        return result

    try:
        text = str(bytes(data[start:]), "utf-8")
        value = json.loads(text, parse_int=integer, parse_float=real, parse_constant=real, object_pairs_hook=distinct)
        json.dumps(value, ensure_ascii=False).encode()  # refuses surrogates that are not a pair
    except UnicodeDecodeError as error:
        raise FormatError("STR-UTF8", start + error.start, "not UTF-8") from None
    except UnicodeEncodeError:
        raise FormatError("STR-UTF8", start, "an escape that is no character") from None
    except RecursionError:
        raise FormatError("LIM-DEPTH", start, "too deep") from None
    except FormatError:
        raise
    except (ValueError, ArithmeticError) as error:
        raise FormatError("VAL-FORM", start, str(error)) from None
    if measure(value).depth > limits.depth:
        raise FormatError("LIM-DEPTH", start, f"more than {limits.depth} levels")
    return value


def check_digest(data: Any, envelope: Envelope) -> None:
    """§2.2: the envelope's `digest`."""
    expected = envelope.parameters.get("digest")
    if expected is not None and expected.lower() != "sha-256:" + hashlib.sha256(bytes(data[envelope.end :])).hexdigest():
        raise FormatError("DIG-DIFFERS", envelope.places["digest"], "the text has another digest")
