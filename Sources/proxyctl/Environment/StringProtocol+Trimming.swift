extension StringProtocol {
    /// The text without such characters at its start and its end.
    func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        guard let start = firstIndex(where: { !isTrimmed($0) }),
            let last = lastIndex(where: { !isTrimmed($0) })
        else { return "" }
        return String(self[start...last])
    }
}
