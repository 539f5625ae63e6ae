package community

// DecodeComment is decodeComment.
var DecodeComment = decodeComment
