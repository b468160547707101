/// A field by the name people write.
enum FilterField: String, Sendable, CaseIterable {
    case method, host, port, path, url, query, scheme, status, size, reqsize, duration, time, type
    case header, reqheader, resheader, param
    case body, reqbody, resbody
    case client, process, error, refused, repaired, state, tag, note, pinned, id

    /// Whether a name follows behind a dot: `header.Accept`.
    var takesName: Bool {
        switch self {
        case .header, .reqheader, .resheader, .param: true
        default: false
        }
    }

    /// The field of a name in any case.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// The fields whose names look like a mistyped one, best first.
    static func near(_ name: String) -> [String] {
        NearNames.of(name.lowercased(), among: allCases.map(\.rawValue))
    }
}
