//! Which source is out when, and what should follow, reckoned by hand from levels.md.

use super::Outage;

/// Of the bundled day.
pub const BUNDLED: &[Outage] = &[
    Outage {
        source: "nws_warnings",
        from: "2031-05-09T20:00:00Z",
        to: "2031-05-09T21:19:30Z",
        why: "From the start to after the tornado warning: it is told late, as soon as the feed answers. Flashes within 40 km make the\n\
              Slight risk elevated meanwhile.",
    },
    Outage {
        source: "nws_warnings",
        from: "2031-05-09T21:40:00Z",
        to: "2031-05-09T22:20:00Z",
        why: "Blind from 21:44:30. The tornado warning ends by the clock at 22:00 (its cancellation of 21:48 is not seen), what may have\n\
              replaced it is unknown: extreme is held, told blind at 22:10, lowered ten minutes after sight is back. Fernhill, below its\n\
              level, is told of the silent feed half an hour after its last good answer (21:39:30), and when it answers again.",
    },
    Outage {
        source: "mrms",
        from: "2031-05-09T22:00:00Z",
        to: "2031-05-09T23:00:00Z",
        why: "Blind from 22:06. Rotation is held; the tornado report supports significant to 22:28, so blind since then: told at 22:38.\n\
              Lowered ten minutes after the mosaics are back.",
    },
    Outage {
        source: "goes_glm",
        from: "2031-05-09T21:30:00Z",
        to: "2031-05-09T22:10:00Z",
        why: "Lightning could mean elevated at most: nothing changes under extreme and significant. What was missed is read afterwards.",
    },
    Outage {
        source: "goes_glm",
        from: "2031-05-09T23:20:00Z",
        to: "2031-05-09T23:50:00Z",
        why: "Blind from 23:25. The tornado report ends at 23:28, but a flash nearby would be elevated too: no all-clear, told blind at 23:38.",
    },
    Outage {
        source: "iem_reports",
        from: "2031-05-09T21:30:00Z",
        to: "2031-05-09T21:50:00Z",
        why: "The tornado report is heard at 21:50 rather than 21:39, still told in time: it supports significant as ever.",
    },
    Outage {
        source: "iem_reports",
        from: "2031-05-09T22:20:00Z",
        to: "2031-05-09T23:20:00Z",
        why: "Blind from 22:35. The report steps down by its own time at 22:28, rotation ends at 22:39; that no other tornado was reported\n\
              is unknown: significant is held, told blind at 22:49, lowered ten minutes after sight is back.",
    },
    Outage {
        source: "spc_outlooks",
        from: "2031-05-09T20:00:00Z",
        to: "2031-05-09T23:50:00Z",
        why: "No outlook is ever known: it could be High, which is significant. Nothing raised is missing; what ends at 22:39 is held and\n\
              told blind ten minutes later, and there is no all-clear.",
    },
    Outage {
        source: "spc_outlooks",
        from: "2031-05-09T22:00:00Z",
        to: "2031-05-09T23:50:00Z",
        why: "The outlook in force speaks on for six hours: nothing changes.",
    },
    Outage {
        source: "rap_profiles",
        from: "2031-05-09T20:00:00Z",
        to: "2031-05-09T23:50:00Z",
        why: "The air is never known. While storms are active it could be significant: held from 22:39, told blind at 22:49, until storms\n\
              are active no more (23:03) and ten minutes longer. Then it could still be elevated: no all-clear.",
    },
    Outage {
        source: "nws_zones",
        from: "2031-05-09T20:00:00Z",
        to: "2031-05-09T22:05:00Z",
        why: "The zones are not known: the watch by county is not seen, and a tornado warning by county could be there, which is extreme.\n\
              What is cancelled at 21:48 is held, told blind at 21:58, lowered ten minutes after the zones are known.",
    },
    Outage {
        source: "spc_mesoscale",
        from: "2031-05-09T20:00:00Z",
        to: "2031-05-09T23:50:00Z",
        why: "No level rests on discussions or outlines of watches: nothing changes.",
    },
];

/// Of the recorded day.
pub const RECORDED: &[Outage] = &[
    Outage {
        source: "nws_warnings",
        from: "2026-06-10T21:36:00Z",
        to: "2026-06-10T22:14:00Z",
        why: "Blind from 21:40:30. The tornado warning ends by the clock at 22:00, what may have replaced it is unknown: extreme is held,\n\
              told blind at 22:10, lowered ten minutes after the feed is back. That radar is blind as well is not told a second time in\n\
              one episode. Moore, below its level, is told of the silent feed half an hour after its last good answer (21:35:30), and\n\
              when it answers again.",
    },
    Outage {
        source: "mrms",
        from: "2026-06-10T21:00:00Z",
        to: "2026-06-10T21:45:00Z",
        why: "Rotation is seen at 21:45 rather than 21:33, under the extreme of the tornado warning: nothing changes.",
    },
    Outage {
        source: "iem_reports",
        from: "2026-06-10T21:00:00Z",
        to: "2026-06-10T21:35:00Z",
        why: "The tornado reports are heard at 21:35, under the extreme of the tornado warning. Until then the Enhanced risk and its\n\
              tornado probability speak: elevated.",
    },
    Outage {
        source: "spc_outlooks",
        from: "2026-06-10T21:00:00Z",
        to: "2026-06-10T22:50:00Z",
        why: "The outlook would be elevated, under the tornado reports: nothing changes.",
    },
    Outage {
        source: "rap_profiles",
        from: "2026-06-10T21:00:00Z",
        to: "2026-06-10T22:50:00Z",
        why: "No profile of this day covers Unionville, and Moore is capped: nothing changes.",
    },
    Outage {
        source: "nws_zones",
        from: "2026-06-10T21:00:00Z",
        to: "2026-06-10T22:00:00Z",
        why: "The warnings have polygons: nothing raised is missing. What ends at 22:00 counts as ended once the zones are known, seconds\n\
              later.",
    },
];
