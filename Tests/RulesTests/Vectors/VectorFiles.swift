import ProxydCivilTime
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import ProxydTestSupport

/// The files of a vector, as a disk would have them.
struct VectorFiles {
    private let files: [String: RuleVectors.File]

    init(_ files: [String: RuleVectors.File]) { self.files = files }

    /// What a request is answered with; nil where it goes on.
    func answer(_ request: ForwardedRequest, from mapping: FileMapping) -> RuleAnswer? {
        let (find, text) = find(request.url, in: mapping)
        if find == .missing, mapping.missing == .forward { return nil }
        let extra = HeaderFields(mapping.fields.map { ($0.name, $0.value) })
        let response = FileResponse(
            find, to: request.head.method, request.url, request.head.fields, extra: extra)
        guard case .bytes(let range) = response.content else {
            return RuleAnswer(status: response.status, fields: response.fields)
        }
        let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        return RuleAnswer(
            status: response.status, fields: response.fields,
            body: Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    private func find(_ url: RawURL, in mapping: FileMapping) -> (ServedFind, String) {
        if files[mapping.path] != nil { return file(mapping.path) }
        guard let path = ServedPath(url.path, stripping: mapping.stripped) else {
            return (.refused, "")
        }
        let names = path.names.map { String(decoding: $0, as: UTF8.self) }
        let place = ([mapping.path] + names).joined(separator: "/")
        let isFolder = files.keys.contains { $0.hasPrefix(place + "/") }
        guard isFolder else { return file(place) }
        if !path.isFolder, !names.isEmpty { return (.folderWithoutSlash, "") }
        return file(place + "/" + mapping.index)
    }

    private func file(_ place: String) -> (ServedFind, String) {
        guard let file = files[place] else { return (.missing, "") }
        if file.linkOutside == true { return (.refused, "") }
        let name = String(place.split(separator: "/").last ?? "")
        let seconds = CookieDateReader.secondsSinceEpoch(file.modified.utf8) ?? 0
        return (
            .file(
                ServedFile(
                    name: name, byteCount: Int64(file.text.unicodeScalars.count),
                    modifiedSeconds: seconds)), file.text
        )
    }
}
