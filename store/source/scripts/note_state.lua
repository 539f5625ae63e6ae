-- Corrects the scores of sources in sched:unwell.
-- KEYS 1 sched:unwell, then <feed_url>:meta of each source
-- ARGV feed_url of each
-- returns how many were wrong
-- fragment note_state
local wrong = 0
for i, url in ipairs(ARGV) do wrong = wrong + note_state(KEYS[1], url, read_state(KEYS[i + 1])) end
return wrong
