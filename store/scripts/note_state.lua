-- Brings the place of sources among those that are not active up to date.
-- KEYS 1 sched:unwell, then <feed_url>:meta of each source
-- ARGV feed_url of each
-- returns how many they are
-- part note_state
for i, url in ipairs(ARGV) do note_state(KEYS[1], url, KEYS[i + 1]) end
return #ARGV
