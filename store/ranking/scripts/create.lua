-- Makes an entry an article, unless it is one or was taken down.
-- fragment groups
-- fragment article
if not removed() then create() end
return 1
