import ProxydParameterCoding

extension URLEncoding {
    /// The pairs as text.
    func text(_ parameters: Parameter) throws -> String {
        String(decoding: try bytes(parameters), as: UTF8.self)
    }

    /// These rules with some of them changed.
    func changed(_ change: (inout URLEncoding) -> Void) -> URLEncoding {
        var changed = self
        change(&changed)
        return changed
    }
}
