"""`python -m kameleon` is the program `kameleon`."""

import sys

from kameleon_program import main

if __name__ == "__main__":
    sys.exit(main())
