"""A reader of the Coconut format, written from its specification.

>>> document = coconut_reader.open("aws.coco")
>>> document["aws:ec2/instance:Instance"]
"""

from .document import AmbiguousKey, Document, Landmark, open
from .errors import FormatError, Limits
from .values import Node

__all__ = ["AmbiguousKey", "Document", "FormatError", "Landmark", "Limits", "Node", "open"]
__version__ = "0.1.0"
