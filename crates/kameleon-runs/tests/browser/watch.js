// Put before everything else in the page: remembers all that goes wrong.
window.wrong = { errors: [], alerts: 0 };
window.addEventListener("error", (e) => wrong.errors.push(String(e.message)));
window.addEventListener("unhandledrejection", (e) => wrong.errors.push(String(e.reason)));
document.addEventListener("securitypolicyviolation", (e) => wrong.errors.push(`refused: ${e.blockedURI}`));
window.alert = () => wrong.alerts++;
for (const level of ["error", "warn"]) console[level] = (...words) => wrong.errors.push(words.join(" "));
// Frames as timers: the browser's own come by the clock, which the test does not wait for.
window.requestAnimationFrame = (draw) => setTimeout(draw, 0);
