"""What ends the program without a traceback: one line that names the file, the fault and the remedy."""


class Refusal(Exception):
    pass
