/// A field by the name people write.
enum FilterField: String, Sendable, CaseIterable {
    case method, host, port, path, url, query, scheme, status, size, reqsize, duration, time, type
    case header, reqheader, resheader, trailer, param
    case body, reqbody, resbody
    case client, process, error, refused, repaired, state, tag, note, pinned, id
    case proto, stream, h2

    /// Whether a name follows behind a dot: `header.Accept`.
    var takesName: Bool {
        switch self {
        case .header, .reqheader, .resheader, .trailer, .param, .h2: true
        default: false
        }
    }

    /// The only names that it takes; empty where any is one.
    var names: [String] { self == .h2 ? ["reset"] : [] }

    /// The field of a name in any case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// The fields whose names look like a mistyped one, best first.
    static func near(_ name: String) -> [String] {
        NearNames.of(name.lowercased(), among: allCases.map(\.rawValue))
    }
}
