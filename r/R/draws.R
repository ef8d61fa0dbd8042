# Draws for other packages: posterior's formats, coda's, and weighted draws.

as_draws.kameleon <- function(x, ...) x$draws
as_draws_array.kameleon <- function(x, ...) x$draws
as_draws_df.kameleon <- function(x, ...) posterior::as_draws_df(x$draws, ...)
as_draws_list.kameleon <- function(x, ...) posterior::as_draws_list(x$draws, ...)
as_draws_matrix.kameleon <- function(x, ...) posterior::as_draws_matrix(x$draws, ...)
as_draws_rvars.kameleon <- function(x, ...) posterior::as_draws_rvars(x$draws, ...)

as.data.frame.kameleon <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(posterior::as_draws_df(x$draws), row.names = row.names, optional = optional, ...)
}

as.mcmc.list.kameleon <- function(x, ...) {
  variables <- posterior::variables(x$draws)
  chain <- function(k) {
    points <- matrix(x$draws[, k, ], ncol = length(variables), dimnames = list(NULL, variables))
    coda::mcmc(points, start = x$warmup + x$thin, thin = x$thin)
  }
  coda::mcmc.list(lapply(seq_len(posterior::nchains(x$draws)), chain))
}

weighted_draws <- function(x) {
  if (!inherits(x, "kameleon")) refuse("x", "must be a result of kameleon()", x)
  weights <- x$weighted$log_weights
  if (length(weights) == 0) {
    why <- if (is.null(x$evidence)) paste0(x$sampler, ' makes no jumps, only the sampler "kameleon" does') else x$evidence$why
    abort(paste0("there are no weighted draws: ", why))
  }
  names <- posterior::variables(x$draws)
  points <- matrix(x$weighted$points, ncol = length(names), dimnames = list(NULL, names))
  posterior::weight_draws(posterior::as_draws_matrix(points), weights, log = TRUE)
}
