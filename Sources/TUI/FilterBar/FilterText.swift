internal import ProxydHTTPModel
internal import ProxydCaptureModel
internal import ProxydFilter

enum FilterText {
    /// A value in the syntax of the filter language, in quotes if necessary.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "./-_^".utf8.contains($0) }
        guard !isPlain || text.isEmpty else { return text }
        let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(inner)\""
    }

    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\.+*?()|[]{}^$".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// A filter with additional required terms; terms it already has are not repeated.
    static func narrowed(_ filter: Filter, by terms: [String]) -> String {
        guard !filter.matchesEverything else { return terms.joined(separator: " ") }
        let former = filter.isAlternative ? "(\(filter.text))" : filter.text
        let parts = parts(of: former)
        // A term that is negated is not one that the filter requires.
        let known = zip([""] + parts, parts).filter { !["not", "!"].contains($0.0.lowercased()) }
            .map(\.1)
        return ([former] + terms.filter { !known.contains($0) }).joined(separator: " ")
    }

    /// The top-level terms of a filter, outside of parentheses and quotes.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == " ", depth == 0, !isQuoted {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted: depth += 1
            case ")" where !isQuoted: depth -= 1
            default: break
            }
        }
        return parts
    }
}

/// A property of a row that can be added to the filter with one key.
enum RowFacet: Sendable, Hashable {
    case host, otherHosts, path, status

    init?(_ action: ActionID) {
        switch action {
        case .onlyHost: self = .host
        case .notHost: self = .otherHosts
        case .onlyPath: self = .path
        case .onlyStatus: self = .status
        default: return nil
        }
    }

    /// The term that matches rows like this one; for `otherHosts`, the term that excludes them.
    func term(_ row: ExchangeRow) -> String {
        switch self {
        case .host: RowFacet.host(row.host)
        case .otherHosts: RowFacet.otherHosts(than: row.host)
        case .path: row.path.map { "path=" + FilterText.quoted($0) } ?? "not path~."
        case .status: RowFacet.status(row)
        }
    }

    /// Matches exchanges with a host; if nil, those without one.
    static func host(_ host: String?) -> String {
        host.map { "host=" + FilterText.quoted($0) } ?? "not host~."
    }

    static func otherHosts(than host: String?) -> String {
        host.map { "host!=" + FilterText.quoted($0) } ?? "host~."
    }

    /// The value in the status column, which is the state if no status was received.
    private static func status(_ row: ExchangeRow) -> String {
        if let status = row.status { return "status=\(status)" }
        return "not status>=0 state=\(row.state.rawValue)"
    }
}

/// A filter that was chosen on another screen, for the list below.
enum FocusedFilter {
    /// Goes back to the list with a filter; if it is invalid, shows the error.
    static func answer<News>(_ text: String, _ context: Context) -> ScreenEffect<News, Filter> {
        do throws(FilterError) {
            return .answer(try context.filter(text))
        } catch {
            return .notify(.problem(error.message))
        }
    }
}

extension Context {
    /// Parses a filter, with times relative to now and in the time zone of the interface.
    func filter(_ text: String) throws(FilterError) -> Filter {
        try Filter.parse(text, now: now, timeZone: clock.timeZone)
    }
}

/// The filter of a screen, and those that were applied before it.
struct FilterTrail: Sendable {
    private static let countMax = 100

    private(set) var filter: Filter
    /// The remembered filters, latest last.
    private var former: [Filter] = []

    init(_ filter: Filter) { self.filter = filter }

    mutating func apply(_ filter: Filter) {
        if filter.text != self.filter.text {
            former = (former + [self.filter]).suffix(FilterTrail.countMax)
        }
        self.filter = filter
    }

    /// Applies the previous filter again; returns false if there is none.
    mutating func goBack() -> Bool {
        guard let last = former.popLast() else { return false }
        filter = last
        return true
    }

    static func nothingBefore<News, Answer>() -> ScreenEffect<News, Answer> {
        .notify(.information("there is no previous filter"))
    }
}
