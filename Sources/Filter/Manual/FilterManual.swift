/// The single source of the filter language's documentation: `proxyctl help filter`,
/// docs/FILTER.md, and the terminal interface's help and completion are generated from this table.
/// Every field and every operator has an entry, and a test runs each example.
public enum FilterManual {
    /// In reading order.
    public static let sections = [
        words, tests, joining, requestFields, responseFields, messageFields, courseFields,
        streamFields, callFields, markFields, values, mitmproxy,
    ]

    /// The entries that complete a word, in the manual's order: fields, or mitmproxy's operators if
    /// the word starts with `~`.
    public static func completions(of word: String) -> [FilterEntry] {
        let typed = word.lowercased()
        return sections.flatMap(\.entries).filter { entry in
            guard let completion = entry.completion else { return false }
            return completion.hasPrefix(typed) && completion != word
        }
    }

    /// The possible values of a field if there are only a few; otherwise empty.
    public static func values(of field: String) -> [String] {
        let name = field.lowercased()
        return sections.flatMap(\.entries).first { $0.form == name }?.values ?? []
    }
}

/// A section of the filter language's manual.
public struct FilterSection: Sendable, Hashable {
    public let title: String
    /// A note that applies to all entries, or nil if there is none.
    public let note: String?
    /// In reading order.
    public let entries: [FilterEntry]

    init(_ title: String, _ note: String? = nil, _ entries: [FilterEntry]) {
        self.title = title
        self.note = note
        self.entries = entries
    }
}

/// One manual entry: a form that can be written in a filter, its meaning, and examples.
public struct FilterEntry: Sendable, Hashable {
    /// A complete filter and a description of what it finds.
    public struct Example: Sendable, Hashable {
        public let filter: String
        public let finding: String

        init(_ filter: String, _ finding: String) {
            self.filter = filter
            self.finding = finding
        }
    }

    /// How it is written; parts in capitals or angle brackets are placeholders: `header.NAME`,
    /// `<field>=<text>`, `~u REGEX`.
    public let form: String
    public let meaning: String
    /// At least one example; a test runs each of them.
    public let examples: [Example]
    /// The part that completion inserts: `status=`, `header.`, `~u `; nil if there is none.
    public let completion: String?
    /// The possible values of a field if there are only a few; otherwise empty.
    public let values: [String]

    /// An entry about the language itself.
    init(_ form: String, _ meaning: String, _ examples: Example...) {
        self.init(form: form, meaning: meaning, examples: examples)
    }

    /// An entry for a field, with its most common operator, which completion inserts.
    init(
        _ field: FilterField, _ comparison: FilterOperator, _ meaning: String,
        values: [String] = [], _ examples: Example...
    ) {
        let name = field.rawValue
        self.init(
            form: field.takesName ? "\(name).NAME" : name, meaning: meaning, examples: examples,
            completion: field.takesName ? "\(name)." : name + comparison.rawValue, values: values)
    }

    init(_ found: MitmproxyOperator, _ meaning: String, _ examples: Example...) {
        let name = "~\(found.rawValue)"
        let value = found == .c ? " CODE" : " REGEX"
        self.init(
            form: found.takesArgument ? name + value : name, meaning: meaning,
            examples: examples, completion: found.takesArgument ? "\(name) " : name)
    }

    private init(
        form: String, meaning: String, examples: [Example], completion: String? = nil,
        values: [String] = []
    ) {
        self.form = form
        self.meaning = meaning
        self.examples = examples
        self.completion = completion
        self.values = values
    }
}

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
                "4xx", "a class of status codes", .init("status=4xx", "all codes from 400 to 499")),
        ])

    static let mitmproxy = FilterSection(
        "mitmproxy's operators",
        "They work as in mitmproxy: regular expressions ignore case and match anywhere.",
        [
            FilterEntry(.u, "the URL", .init("~u /login$", "URLs that end in /login")),
            FilterEntry(.m, "the method", .init("~m put", "PUT requests")),
            FilterEntry(.d, "the host", .init("~d shop", "hosts with shop in their name")),
            FilterEntry(.c, "the status code", .init("~c 404", "responses with status 404")),
            FilterEntry(
                .t, "the content type of either message", .init("~t json", "JSON on either side")),
            FilterEntry(
                .tq, "the content type of the request", .init("~tq form", "requests with a form")),
            FilterEntry(.ts, "the content type of the response", .init("~ts image/", "images")),
            FilterEntry(
                .h, "a header line of either message, written as Name: value",
                .init("~h \"^x-request-id: \"", "any message with this field")),
            FilterEntry(
                .hq, "a header line of the request",
                .init("~hq user-agent:.curl", "requests that curl sent")),
            FilterEntry(
                .hs, "a header line of the response",
                .init("~hs ^location:", "responses with a Location field")),
            FilterEntry(.b, "the body of either message", .init("~b coffee", "coffee in a body")),
            FilterEntry(
                .bq, "the body of the request", .init("~bq alice", "alice in a request's body")),
            FilterEntry(
                .bs, "the body of the response", .init("~bs coffee", "responses with coffee")),
            FilterEntry(
                .src, "the client's address and port",
                .init("~src ^127\\.", "requests from programs on this machine over IPv4")),
            FilterEntry(.dst, "the requested host and port", .init("~dst :8443$", "port 8443")),
            FilterEntry(.comment, "the note", .init("~comment ask", "notes with ask in them")),
            FilterEntry(.q, "without a response", .init("~q", "exchanges without a response")),
            FilterEntry(.s, "with a response", .init("~s", "exchanges with a response")),
            FilterEntry(.e, "failed", .init("~e", "failed exchanges")),
            FilterEntry(
                .a, "style sheets, scripts, images and fonts, by the response's content type",
                .init("~a", "images, scripts and the like"), .init("!~a", "everything else")),
            FilterEntry(
                .marked, "with a tag, a note or a pin",
                .init("~marked", "exchanges that a user marked")),
            FilterEntry(.replay, "replays", .init("~replay", "exchanges recorded by a replay")),
            FilterEntry(.replayq, "replays", .init("~replayq", "exchanges recorded by a replay")),
            FilterEntry(
                .websocket, "upgraded to WebSocket", .init("~websocket", "WebSocket handshakes")),
            FilterEntry(.tcp, "opaque tunnels", .init("~tcp", "tunnels that have ended")),
            FilterEntry(
                .http, "every exchange, tunnels included",
                .init("~http ~d shop", "hosts with shop in their name")),
            FilterEntry(.all, "every exchange", .init("~all", "everything")),
        ])
}
