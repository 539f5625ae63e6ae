-- unseen reports whether a moderator keeps something in a state from an account that did not write it, or from everyone.
local function unseen(state, author, user)
  return state and not (state ~= 'removed' and tostring(author) == tostring(user))
end
