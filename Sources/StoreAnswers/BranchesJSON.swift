package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
package import ProxydParameterCoding

/// One level of the tree of servers and paths.
package enum BranchesJSON {
    /// The most entries that are sent; the others are in `others`.
    private static let entryCountMax = 1_000

    package static func value(_ branches: Branches) -> JSONValue {
        let sorted = branches.totals.sorted { $0.value.count > $1.value.count }
        var others = branches.others
        for (_, totals) in sorted.dropFirst(entryCountMax) { others += totals }
        return .members([
            (
                "branches",
                .array(
                    sorted.prefix(entryCountMax).map {
                        .members(name($0.key) + members($0.value))
                    })
            ),
            ("others", others.count == 0 ? .null : .members(members(others))),
            ("total", .members(members(branches.all))),
        ])
    }

    private static func name(_ name: Branches.Name) -> [(String, JSONValue)] {
        switch name {
        case .server(let server):
            [
                ("kind", .string("server")), ("name", .string(ServerText(server).text)),
                ("host", .text(server.host)), ("port", .integer(server.port)),
            ]
        case .folder(let path): [("kind", .string("folder")), ("name", .string(path))]
        case .path(let path): [("kind", .string("path")), ("name", .text(path))]
        }
    }

    /// The members for totals.
    package static func members(_ totals: BranchTotals) -> [(String, JSONValue)] {
        [
            ("count", .integer(totals.count)), ("errors", .integer(totals.errorCount)),
            ("bytes", .integer(totals.byteCount)),
            ("last_started_at", SummaryJSON.moment(totals.lastStartedAtNs)),
        ]
    }
}

/// A server as `SCHEME://HOST:PORT`; what is unknown is empty.
package struct ServerText {
    package let server: ServerName

    package init(_ server: ServerName) { self.server = server }

    /// Parses a text; nil if it is not one.
    package init?(_ text: String) {
        guard let mark = text.firstRange(of: "://"), let colon = text.lastIndex(of: ":"),
            colon >= mark.upperBound
        else { return nil }
        let (scheme, port) = (text[..<mark.lowerBound], text[text.index(after: colon)...])
        let host = text[mark.upperBound..<colon]
        guard port.isEmpty || Int(port) != nil else { return nil }
        server = ServerName(
            scheme: scheme.isEmpty ? nil : String(scheme),
            host: host.isEmpty ? nil : String(host), port: Int(port))
    }

    package var text: String {
        "\(server.scheme ?? "")://\(server.host ?? ""):\(server.port.map(String.init) ?? "")"
    }
}
