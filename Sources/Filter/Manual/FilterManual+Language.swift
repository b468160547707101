extension FilterManual {
    static let words = FilterSection(
        "Words", "A word without an operator is searched for in the URL.",
        [
            FilterEntry(
                "<word>", "the URL contains it, in any letter case",
                .init("login", "every exchange with login in its URL")),
            FilterEntry(
                "\"<text>\"",
                "the same, for text with spaces or parentheses, and for the words \"and\", \"or\" "
                    + "and \"not\"; single quotes work in the same way; inside quotes, "
                    + #"\" is a literal quote"#,
                .init("\"or\"", "exchanges whose URL contains \"or\"")),
        ])

    static let tests = FilterSection(
        "Tests",
        "There is no space before or after the operator. Quote a value with spaces or "
            + "parentheses; \"\" is the empty text. If an exchange has several values, such as two "
            + "fields of the same name, one match is enough.",
        [
            FilterEntry(
                "<field>:<text>", "the field contains the text, in any letter case",
                .init("host:SHOP", "hosts with shop in their name")),
            FilterEntry(
                "<field>=<text>", "the field is exactly the text, including letter case",
                .init("host=shop.test", "only the host shop.test")),
            FilterEntry(
                "<field>~<regex>",
                "the regular expression matches somewhere in the field; (?i) at its start "
                    + "ignores case",
                .init("path~^/v[0-9]+/", "paths that start with a version such as /v1/"),
                .init("path~(?i)\\.PNG$", "paths that end in .png, in any case")),
            FilterEntry(
                "<field> < <= > >= <number>",
                "compares numbers, sizes, durations and times; no spaces around the operator",
                .init("status>=400", "client and server errors"),
                .init("size>10k", "responses with a body of more than 10,000 bytes"),
                .init("duration<=250ms", "exchanges that took at most a quarter of a second")),
            FilterEntry(
                "<field>!=<text>",
                "the opposite of =, also true if there is no such field; !: !~ !< !<= !> !>= "
                    + "work in the same way",
                .init("status!=200", "every status except 200, and exchanges without a response"),
                .init("host!:shop", "hosts without shop in their name")),
        ])

    static let joining = FilterSection(
        "Joining tests",
        "\"not\" binds most tightly, then \"and\", then \"or\"; they may be in capitals. To search "
            + "for one of these words, quote it.",
        [
            FilterEntry(
                "a b", "both are true; also written \"a and b\" or \"a & b\"",
                .init("host:shop method=POST", "POST requests to the shop"),
                .init("host:shop & status=302", "redirects from the shop")),
            FilterEntry(
                "a or b", "at least one is true; also written a | b",
                .init("status=404 or status=503", "either status"),
                .init("~m PUT | ~m POST", "PUT and POST requests")),
            FilterEntry(
                "not a", "a is not true; also written !a",
                .init("not host:shop", "other hosts"), .init("!type:image", "no images")),
            FilterEntry(
                "( )", "groups tests into one",
                .init("scheme=https (status=404 or status=503)", "either status, over https only")),
        ])

    static let values = FilterSection(
        "Values", nil,
        [
            FilterEntry(
                "10k 2M 1Gi",
                "sizes in bytes: k, M, G, T are powers of 1,000; Ki, Mi, Gi, Ti of 1,024",
                .init("size>=20Ki", "bodies of 20,480 bytes or more")),
            FilterEntry(
                "250ms 1.5s 2m 1h",
                "durations in ns, us, ms, s, m, h, d, w; a number without a unit is in "
                    + "milliseconds",
                .init("duration>1.5s", "exchanges that took longer than a second and a half")),
            FilterEntry(
                "2026-11-20T10:00",
                "a time in your time zone, or in another with Z or +01:00 at its end; a date alone "
                    + "is the whole day",
                .init("time>=2026-11-20T10:00Z time<2026-11-20T11:00Z", "this hour, in UTC")),
            FilterEntry(
                "-15m", "a time this long ago; works with < <= > and >=, but not with =",
                .init("time>-15m", "exchanges started in the last 15 minutes")),
            FilterEntry(
                "4xx", "a class of status codes",
                .init("status=4xx", "all codes from 400 to 499")),
        ])
}
