# A first look at the chains: trace and density of each parameter.

plot.kameleon <- function(x, variables = NULL, ...) {
  known <- posterior::variables(x$draws)
  variables <- if (is.null(variables)) utils::head(known, 6) else variables
  unknown <- setdiff(variables, known)
  if (length(unknown) > 0) refuse("variables", paste0("there is no `", unknown[1], "`; there are ", paste(known, collapse = ", ")))
  if (posterior::niterations(x$draws) < 2) abort("there are too few draws to plot")
  before <- graphics::par(mfrow = c(length(variables), 2), mar = c(2.5, 2.5, 2, 0.5))
  on.exit(graphics::par(before))
  colours <- seq_len(posterior::nchains(x$draws))
  for (name in variables) {
    points <- posterior::extract_variable_matrix(x$draws, name)
    graphics::matplot(points, type = "l", lty = 1, col = colours, main = name, xlab = "", ylab = "")
    densities <- apply(points, 2, stats::density, simplify = FALSE)
    wide <- range(vapply(densities, function(one) range(one$x), c(0, 0)))
    high <- max(vapply(densities, function(one) max(one$y), 0))
    plot(NULL, xlim = wide, ylim = c(0, high), main = name, xlab = "", ylab = "")
    for (k in colours) graphics::lines(densities[[k]], col = k)
  }
  invisible(x)
}
