# The parameters of a run: names, bounds, priors and starts, from arguments in the ways that R has for them.

# `table`, the section `parameters`; `names`, all of them, where they are known; `shown`, those that a function sees.
parameters_of <- function(model, start, names, lower, upper, periodic, priors) {
  points <- points_of(start)
  given <- names_of(names, points, priors, lower, upper)
  dim <- max(ncol(points), if (is.null(base::names(priors))) length(priors), if (is.null(base::names(lower))) length(lower),
    if (is.null(base::names(upper))) length(upper), 0)
  all <- if (!is.null(given)) given else if (dim > 0) paste0("x", seq_len(dim))
  if (is.null(all)) {
    if (model$kind != "target") refuse("start", "give a start, or names: the number of parameters is not known")
    return(list(table = NULL, names = NULL, shown = NULL))
  }
  twice <- anyDuplicated(all)
  if (twice > 0) refuse("names", paste0("two parameters are named `", all[twice], "`"))
  if (!is.null(points) && ncol(points) != length(all)) {
    refuse("start", paste0("has ", ncol(points), " numbers for the ", length(all), " parameters ", paste(all, collapse = ", ")))
  }
  priors <- by_name(check_priors(priors), all, "priors")
  lower <- by_name(check_bounds(lower, "lower"), all, "lower")
  upper <- by_name(check_bounds(upper, "upper"), all, "upper")
  periodic <- by_name(check_periodic(periodic), all, "periodic")
  entry <- function(name) {
    circle <- if (isTRUE(periodic[[name]])) TRUE
    list(lower = finite(lower[[name]]), upper = finite(upper[[name]]), periodic = circle, prior = priors[[name]])
  }
  table <- lapply(all, entry)
  base::names(table) <- all
  list(table = table, names = all, shown = given)
}

finite <- function(x) if (is.null(x) || !is.finite(x)) NULL else x

# The names that were given in one way or another.
names_of <- function(names, points, priors, lower, upper) {
  if (!is.null(names)) {
    if (!is.character(names) || length(names) == 0 || anyNA(names)) refuse("names", "must be the names of the parameters", names)
    return(names)
  }
  for (found in list(colnames(points), base::names(priors), base::names(lower), base::names(upper))) {
    if (!is.null(found) && all(found != "")) {
      # Some of the parameters may have a bound or a prior, and their number is then that of the start.
      if (is.null(points) || length(found) == ncol(points)) {
        return(found)
      }
      refuse("names", paste0("give the names of all ", ncol(points), " parameters, as names(start) or by names="))
    }
  }
  NULL
}

# Values by the names of parameters, from a vector or list with names, of all parameters, or of one number for all.
by_name <- function(given, all, argument) {
  if (is.null(given)) {
    return(list())
  }
  if (!is.null(names(given))) {
    unknown <- setdiff(names(given), all)
    if (length(unknown) > 0) {
      refuse(argument, paste0("there is no parameter `", unknown[1], "`; there are ", paste(all, collapse = ", ")))
    }
    if (anyDuplicated(names(given))) refuse(argument, paste0("`", names(given)[anyDuplicated(names(given))], "` is there twice"))
    return(as.list(given))
  }
  if (length(given) != length(all) && length(given) != 1) {
    refuse(argument, paste0("must have one value, or one for each of the ", length(all), " parameters, or names"), given)
  }
  stats::setNames(as.list(rep_len(given, length(all))), all)
}

check_priors <- function(priors) {
  what <- 'must be texts by the names of parameters, such as c(mu = "normal(0, 10)", sigma = "half-normal(1)")'
  if (is.null(priors)) {
    return(NULL)
  }
  if (is.function(priors)) {
    refuse("priors", paste0(what, "; the logarithm of another prior density can be a part of log_density"))
  }
  if (is.data.frame(priors)) {
    refuse("priors", paste0(what, "; of a data frame, setNames(PRIORS, PARAMETERS) with its columns"), priors)
  }
  texts <- unlist(priors)
  if (!is.character(texts) || length(texts) != length(priors) || anyNA(texts)) refuse("priors", what, priors)
  texts
}

check_bounds <- function(bounds, argument) {
  if (is.null(bounds)) {
    return(NULL)
  }
  numbers <- unlist(bounds)
  if (is.data.frame(bounds) || !(is.numeric(numbers) || all(is.na(numbers))) || length(numbers) != length(bounds)) {
    none <- if (argument == "lower") "-Inf" else "Inf"
    refuse(argument, paste0("must be numbers, such as ", argument, " = c(sigma = 0), with ", none, " for none"), bounds)
  }
  numbers
}

# Which parameters are periodic, as a logical vector, from that or from their names.
check_periodic <- function(periodic) {
  if (is.character(periodic) && !anyNA(periodic)) {
    return(stats::setNames(rep(TRUE, length(periodic)), periodic))
  }
  if (!is.null(periodic) && !(is.logical(periodic) && length(periodic) > 0 && !anyNA(periodic))) {
    refuse("periodic", 'must be the names of parameters, such as "phi", or TRUE and FALSE', periodic)
  }
  periodic
}

# Starting points as a matrix with a row for each: from a vector, a matrix, a data frame, or a list of vectors.
points_of <- function(start) {
  if (is.null(start)) {
    return(NULL)
  }
  what <- "must be a numeric vector, a matrix with a row for each chain, or a list of vectors"
  if (is.data.frame(start)) start <- as.matrix(start)
  if (is.list(start)) {
    lengths <- lengths(start)
    if (length(start) > 0 && all(lengths == 1) && !is.null(names(start))) {
      start <- unlist(start)
    } else {
      if (length(start) == 0 || any(lengths != lengths[1])) refuse("start", what, start)
      start <- do.call(rbind, start)
      rownames(start) <- NULL
    }
  }
  if (!is.numeric(start) || length(start) == 0 || length(dim(start)) > 2) refuse("start", what, start)
  if (!all(is.finite(start))) refuse("start", "must be of finite numbers")
  if (is.matrix(start)) start else matrix(start, nrow = 1, dimnames = list(NULL, names(start)))
}

# The section `start`.
starts_of <- function(start, names) {
  points <- points_of(start)
  if (is.null(points)) {
    return(NULL)
  }
  if (!is.null(colnames(points)) && all(names %in% colnames(points))) points <- points[, names, drop = FALSE]
  lapply(seq_len(nrow(points)), function(i) as.list(unname(points[i, ])))
}
