internal import ProxydHTTPModel
internal import ProxydParameterCoding

extension HeaderFields {
    /// Whether the content consists of gRPC frames, which have no meaningful lines.
    var isFramed: Bool {
        let essence = value(.contentType).flatMap { MediaType($0) }?.essence
        return essence?.hasPrefix("application/grpc") == true
    }

    /// Whether the content may never end, so that it is not held until it is complete.
    var isEndless: Bool {
        guard let essence = value(.contentType).flatMap({ MediaType($0) })?.essence else {
            return false
        }
        return essence == "text/event-stream" || essence == "multipart/x-mixed-replace"
            || essence.hasPrefix("application/grpc")
    }
}

extension RuleEdit {
    /// Whether the edit can give a body to a message that had none.
    var setsWholeBody: Bool {
        if case .set = change { target == .body } else { false }
    }
}

extension EditResult {
    init(isChanged: Bool) { self = isChanged ? .changed : .unchanged }

    /// The outcome to record.
    func outcome(of target: RuleTarget) -> RuleOutcome {
        switch self {
        case .changed: .changed(target.description)
        case .unchanged: .unchanged
        case .flowing: .flowing
        case .notDone(let problem): .notDone(problem.reason)
        }
    }
}

extension RuleTarget: CustomStringConvertible {
    /// The target as a rules file writes it.
    public var description: String {
        switch self {
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        case .queryPair(let name): "query:\(name)"
        case .query: "query"
        case .form(let name): "form:\(name)"
        case .json(let path): "json:\(path)"
        case .method: "method"
        case .path: "path"
        case .url: "url"
        case .status: "status"
        case .reason: "reason"
        case .body: "body"
        }
    }
}
