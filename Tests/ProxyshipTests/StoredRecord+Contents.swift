import ProxydHTTPModel
import ProxydParameterCoding
import ProxydCaptureModel

extension StoredRecord {
    /// A value of `StoredHeads.columns` as text.
    func head(_ name: String) -> String? {
        guard let index = StoredHeads.columns.firstIndex(of: name) else { return nil }
        return heads.bytes(index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Every text and every byte of the record.
    var contents: String {
        var bytes: [UInt8] = []
        for value in values + heads {
            switch value {
            case .text(let text): bytes += Array(text.utf8)
            case .blob(let held): bytes += held
            case .integer, .real, .null: continue
            }
        }
        for body in [requestBody, responseBody, requestBodySent, responseBodySent] {
            bytes += body ?? []
        }
        bytes += responseFault?.refusal?.bytes ?? []
        var texts = appliedRules.map { $0.detail ?? "" } + annotations.tags
        texts += parameters.map { "\($0.parameter.name)=\($0.parameter.value ?? "")" }
        texts += [annotations.note, responseFault?.refusal?.reason].compactMap { $0 }
        return String(decoding: bytes, as: UTF8.self) + texts.joined(separator: "\n")
    }

    /// Whether one of the samples' credentials is in it.
    var hasSecret: Bool { contents.contains("s3cr3t") || contents.contains("hunter2") }
}
