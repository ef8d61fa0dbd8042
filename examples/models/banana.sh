#!/bin/sh
# The awk model behind a shell script, which finds out how this system's awk wants to be called.
folder=$(dirname "$0")
if awk -W version 2>/dev/null </dev/null | grep -q '^mawk'; then
    exec awk -W interactive -f "$folder/banana.awk"
else
    exec awk -f "$folder/banana.awk"
fi
