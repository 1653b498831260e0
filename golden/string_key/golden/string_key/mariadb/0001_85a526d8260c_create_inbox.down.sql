-- The way back: it drops every marker, and a message that is delivered again is then handled again.
--
-- Stop the consumers first, and wait until no message of theirs can come again.

DROP TABLE `inbox`;
