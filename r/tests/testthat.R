library(testthat)
library(kameleon)
test_check("kameleon")
