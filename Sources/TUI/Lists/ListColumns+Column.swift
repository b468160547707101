internal import ProxydCaptureModel

extension ListColumns {
    /// A column, by its name in the settings file.
    enum Column: String, Sendable, Hashable, CaseIterable {
        case marks, id, time, method, host, path, status, proto, type, size, duration, process
        case sent, client, server, user, listener
    }
}

extension ListColumns.Column {
    /// The heading.
    var title: String {
        switch self {
        case .marks: ""
        case .id: "id"
        case .duration: "took"
        case .status: "st"
        default: rawValue
        }
    }

    /// A description for users who choose columns.
    var meaning: String {
        switch self {
        case .marks: "signs: marked, pinned, noted, replayed …"
        case .id: "its number"
        case .time: "when it started"
        case .method: "the method"
        case .host: "the host, its scheme and port"
        case .path: "the path; it takes the remaining width"
        case .status: "the status code, or how it ended"
        case .proto: "the protocol: h1, h2, ws, grpc …"
        case .type: "the response's content type"
        case .size: "the size of the response's body"
        case .duration: "how long it took"
        case .process: "the program that sent it"
        case .sent: "the size of the request's body"
        case .client: "the client's address and port"
        case .server: "the server's address and port"
        case .user: "the user as whom the client authenticated"
        case .listener: "the listener that the client connected to"
        }
    }

    /// The minimum width of the screen for a column that was not requested; 0 for any width.
    var screenWidthMin: Int {
        switch self {
        case .marks, .method, .path, .status: 0
        case .size: 40
        case .host: 50
        case .time: 60
        case .duration: 70
        case .type: 100
        case .proto: 110
        case .process: 130
        case .id: 150
        case .sent: 160
        case .client: 170
        case .server: 180
        case .user: 190
        case .listener: 200
        }
    }

    /// The width on a screen of `width` columns; for the path, the minimum.
    func width(in width: Int) -> Int {
        switch self {
        case .marks: RowMarks.columnCount
        case .id, .path: 8
        case .time: width >= 120 ? 12 : 8
        case .method: width >= 100 ? 7 : 4
        case .host: max(12, min(40, width / (width < 80 ? 5 : 4)))
        case .status: 3
        case .proto, .size, .duration, .sent: 7
        case .type: width >= 150 ? 20 : 10
        case .process: width >= 160 ? 16 : 10
        case .client, .server: 21
        case .user, .listener: 12
        }
    }

    /// The sort column, or nil if rows cannot be sorted by it.
    var sortColumn: SortColumn? {
        switch self {
        case .marks, .proto, .sent, .client, .server, .user, .listener: nil
        case .id, .time: .time
        case .method: .method
        case .host: .host
        case .path: .path
        case .status: .status
        case .type: .type
        case .size: .size
        case .duration: .duration
        case .process: .process
        }
    }

    var isRight: Bool {
        switch self {
        case .id, .size, .duration, .sent: true
        default: false
        }
    }
}
