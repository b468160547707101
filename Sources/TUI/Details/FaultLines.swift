internal import ProxydPresentation
internal import ProxydHTTPModel

/// What was wrong with a response, in the lines of its tab.
struct FaultLines {
    let fault: ResponseFault?

    /// What was repaired, then what was refused: the reason and the bytes.
    func lines() -> [StyledText] {
        guard let fault else { return [] }
        var lines: [StyledText] = []
        if !fault.repairs.isEmpty { lines.append(StyledText()) }
        lines += fault.repairs.map { StyledText("repaired: \($0)", .notice) }
        guard let refusal = fault.refusal else { return lines }
        lines += [StyledText(), StyledText("refused: \(refusal.reason)", .bad)]
        lines.append(StyledText("what came from the server:", .heading))
        return lines + HeadLines.lines(ofBytes: refusal.bytes).map { $0.indented(by: 2) }
    }
}
