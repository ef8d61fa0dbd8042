# A model in awk. mawk must be told not to wait for more input:
#   command = ["awk", "-f", "banana.awk"]                        (gawk, BSD awk)
#   command = ["mawk", "-W", "interactive", "-f", "banana.awk"]
# A line of input is {"x":[1.5,-2.0]}: what is between the brackets are the coordinates.
{
    gsub(/.*\[|\].*/, "")
    split($0, x, ",")
    printf "{\"log_density\": %.17g}\n", -x[1] ^ 2 / 200 - (x[2] - 0.1 * (x[1] ^ 2 - 100)) ^ 2 / 2
    fflush() # the sampler waits for this line before it sends the next
}
