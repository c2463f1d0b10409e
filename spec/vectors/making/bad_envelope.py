def cases():
    return ()
