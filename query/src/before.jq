# Definitions that replace those of the interpreter, whose own are built on division by zero.
def isnan:      isnumber and (. == . | not);
def isinfinite: isnumber and (. == infinite or . == -infinite);
def isfinite:   isnumber and (isinfinite | not);
def isnormal:   isnumber and ((. == 0 or isnan or isinfinite) | not);
