// Package hub stores the hub: requests of subscribers, subscriptions, the versions of topics, and their deliveries.
//
// A version of a topic and the progress in the outbox are written together, so every signal is distributed once. A subscription has
// at most one delivery under way, and its versions are delivered in order.
//
// # Keys
//
// All keys belong to the hub. <sub> is feed.SubscriptionID, which begins with the six letters of feed.HostID; <topic> is
// feed.TopicID. Callbacks and secrets are never shown. Times are Unix seconds, to the millisecond.
//
//	hub:cursor             string   id of a signal: this one and all before it are distributed
//	hub:ahead              hash     feed URL → id of its last distributed signal, of a source that is ahead of the cursor
//	hub:requests           hash     <sub>.<n> → pending request: a line of JSON, then when it was made, its lane, its client, tries
//	hub:verify             zset     <sub>.<n> of a pending request by its due time, or the end of its claim
//	hub:asking:<id>        zset     <sub>.<n> that the daemon with this id has claimed, by the end of the claim; TTL 20 s
//	hub:subscriptions      hash     <sub> → subscription, as JSON
//	hub:leases             zset     <sub> by the end of its lease, if it has one
//	hub:hosts:<host>       hash     hosts whose HostID begins with these two letters: the other four → number of subscriptions
//	hub:health             hash     <sub> → its last failure, as JSON, if its last delivery failed
//	hub:paused             set      <sub> that a person paused
//	hub:idle               hash     <topic> that no subscription has → since when; of sources and open topics that subscribers added
//	hub:attempts           hash     <sub> → its last attempts, newest first, a line each: time, version, milliseconds, status, reason,
//	                                time of the next one
//	hub:replays            hash     <sub> → the last version that is sent to it again on request
//	hub:readers            hash     <sub> → the number of readers that it reports, if any
//	hub:topics             hash     <topic> → URL of a topic with subscriptions
//	hub:filters            hash     <topic> → URL of a topic of webhooks with subscriptions: it names a filter
//	hub:topic:<topic>      hash     version; of the newest version: changed, type, sum, whole
//	hub:topic:<topic>:subs zset     <sub> by the version to deliver next; negative while it is queued or under way
//	hub:topic:<topic>:pings set     <sub> of the hubs in hub.ping, which are no subscribers
//	hub:topic:<topic>:versions hash number of each of the last 50 versions → its time, size, entries, and the number of attempts by result,
//	                                as JSON; TTL 2160 h, 25 h without subscriptions
//	hub:topic:<topic>:days hash     day since 1970 → subscribers when they were last counted on that day, of the last 90 days; TTL 2160 h,
//	                                25 h without subscriptions
//	hub:body:<topic>:<n>   hash     version <n> of a topic: type, body, entries, time, posts (ids of the entries in body, unless it is
//	                                whole); TTL 25 h, the newest none; deleted when a whole version replaces it, and with its topic
//	hub:document:<topic>   hash     with hub.distribution full, the unchanged document of a source: type, body; TTL 25 h
//	hub:planning           zset     <topic> with subscriptions that are not queued for its newest version, by the time of its queue slot
//	hub:ready              zset     <sub> with a delivery that is due; all scores are 0, so that a host's subscriptions are adjacent
//	hub:later              zset     <sub> by the time of its next try; while it is delivered, by the fence of the claim
//	hub:claims             zset     "<fence> <daemon>" of each claim of deliveries by its fence
//	hub:daemons            zset     id of a daemon that delivers by the time of its last announcement, in Unix seconds of Redis's clock
//	hub:urls               set      public URLs of this installation: the present one, and former ones whose topics have subscriptions
//	hub:open               hash     <topic> → open topic: the validators and the sum of its last document, as JSON
//	hub:open:due           zset     <topic> by the time of its next check
//	hub:open:checks        zset     <topic> that is being checked by the end of the claim
//	hub:open:bytes         hash     <topic> → bytes of its stored document; all → their sum
//	hub:open:subscriptions hash     <sub> to an open topic → network of the client that asked for it
//	hub:open:clients       hash     network of a client → number of its subscriptions to open topics
//	hub:dead               stream   dead letters: subscription, topic, first, last, failures, since, time, status, reason; the newest
//	                                10,000 or a few more
package hub
