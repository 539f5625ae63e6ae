package community

// Markup is markup.
var Markup = markup
