extension FilterManual {
    static let words = FilterSection(
        "Words", "A word without an operator is looked for in the URL.",
        [
            FilterEntry(
                "<word>", "the URL contains it, in any case",
                .init("login", "every exchange with login in its URL")),
            FilterEntry(
                "\"<text>\"",
                "the same, with spaces, parentheses or words like or inside; ' quotes, too, and "
                    + #"\" stands for a quote"#,
                .init("\"or\"", "every exchange with or in its URL")),
        ])

    static let tests = FilterSection(
        "Tests",
        "No space stands before or after the operator. A value with spaces or parentheses is "
            + "quoted; \"\" is the empty text. Where an exchange has several of something, two "
            + "fields of one name for example, one that passes is enough.",
        [
            FilterEntry(
                "<field>:<text>", "the field contains the text, in any case",
                .init("host:SHOP", "hosts with shop in their name")),
            FilterEntry(
                "<field>=<text>", "the field is exactly the text, letter case included",
                .init("host=shop.test", "only the host shop.test")),
            FilterEntry(
                "<field>~<regex>",
                "a regular expression matches somewhere in the field; (?i) at its beginning "
                    + "ignores case",
                .init("path~^/v[0-9]+/", "paths that begin with a version, as /v1/ does"),
                .init("path~(?i)\\.PNG$", "paths that end in .png, in any case")),
            FilterEntry(
                "<field> < <= > >= <number>", "compares numbers, sizes, durations and times",
                .init("status>=400", "client and server errors"),
                .init("size>10k", "responses with a body of more than 10,000 bytes"),
                .init("duration<=250ms", "exchanges that took a quarter of a second at most")),
            FilterEntry(
                "<field>!=<text>",
                "the opposite of =, and passes what has no such field, too; !: !~ !< !<= !> !>= "
                    + "work alike",
                .init("status!=200", "every status but 200, and exchanges without a response"),
                .init("host!:shop", "hosts without shop in their name")),
        ])

    static let joining = FilterSection(
        "Joining tests",
        "Of these words, not binds most tightly, then and, then or. They may be in capitals; quote "
            + "them to look for them.",
        [
            FilterEntry(
                "a b", "both hold; so do a and b and a & b",
                .init("host:shop method=POST", "POST requests to the shop"),
                .init("host:shop & status=302", "redirections by the shop")),
            FilterEntry(
                "a or b", "one of them holds; so does a | b",
                .init("status=404 or status=503", "both statuses"),
                .init("~m PUT | ~m POST", "PUT and POST requests")),
            FilterEntry(
                "not a", "it does not hold; so does !a",
                .init("not host:shop", "other hosts"), .init("!type:image", "no images")),
            FilterEntry(
                "( )", "what is inside counts as one test",
                .init("scheme=https (status=404 or status=503)", "either, of https only")),
        ])

    static let values = FilterSection(
        "Values", nil,
        [
            FilterEntry(
                "10k 2M 1Gi",
                "sizes in bytes: k, M, G, T are powers of 1,000, Ki, Mi and so on of 1,024",
                .init("size>=20Ki", "bodies of 20,480 bytes and more")),
            FilterEntry(
                "250ms 1.5s 2m 1h",
                "durations in ns, us, ms, s, m, h, d, w; a number without a unit is milliseconds",
                .init("duration>1.5s", "exchanges that took longer than a second and a half")),
            FilterEntry(
                "2026-11-20T10:00",
                "a time in your time zone; Z or +01:00 at its end names another, and a date alone "
                    + "is the whole day",
                .init("time>=2026-11-20T10:00Z time<2026-11-20T11:00Z", "that hour, in UTC")),
            FilterEntry(
                "-15m", "so long before now, for times; it follows < <= > or >=",
                .init("time>-15m", "what began in the last quarter of an hour")),
            FilterEntry(
                "4xx", "a class of status codes",
                .init("status=4xx", "all of 400 to 499")),
        ])
}
