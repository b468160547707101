internal import ProxydContentCoding
public import Foundation
internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ClientLib

extension TargetResponse {
    /// The body as JSON. An empty body is an error, or null if `failsOnEmptyData` is false.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func mapJSON(failsOnEmptyData: Bool = true) throws(ClientError) -> JSONValue {
        if data.isEmpty, !failsOnEmptyData { return .null }
        return try serialized(by: JSONResponseSerializer())
    }

    /// The body as text; with a key path, the text at that path of the JSON body.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func mapString(atKeyPath keyPath: String? = nil) throws(ClientError) -> String {
        guard let keyPath else {
            return data.isEmpty ? "" : try serialized(by: StringResponseSerializer())
        }
        guard case .string(let text) = try value(at: keyPath) else {
            throw ClientError(
                .responseSerializationFailed(.stringSerializationFailed(charset: "UTF-8")),
                message: "there is no text at \(keyPath)"
            ).carrying(self)
        }
        return text
    }

    /// The body decoded; with a key path, the value at that path of the JSON body. If
    /// `failsOnEmptyData` is false, an empty body is decoded as an empty object or an empty array.
    /// - Throws: `.responseSerializationFailed` with the response.
    public func map<Value: Decodable & Sendable>(
        _ type: Value.Type, atKeyPath keyPath: String? = nil,
        using decoder: any DataDecoder = JSONDecoder(), failsOnEmptyData: Bool = true
    ) throws(ClientError) -> Value {
        if data.isEmpty, !failsOnEmptyData {
            for empty in ["{}", "[]"] {
                if let value = try? decoder.decode(type, from: Data(empty.utf8)) { return value }
            }
        }
        guard let keyPath else {
            return try serialized(by: DecodableResponseSerializer<Value>(decoder: decoder))
        }
        let found = try value(at: keyPath)
        do {
            return try decoder.decode(type, from: Data(JSONWriter().write(found)))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
                .carrying(self)
        }
    }

    private func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) throws(ClientError) -> Serializer.Output {
        do {
            return try serializer.serialize(
                SerializationInput(request: nil, response: response, data: data))
        } catch {
            throw .wrapping(error, as: .responseSerializationFailed(.custom)).carrying(self)
        }
    }

    /// The value at a key path of the JSON body, such as `user.names[0]`.
    private func value(at keyPath: String) throws(ClientError) -> JSONValue {
        let root = try mapJSON()
        guard let path = try? JSONValuePath(keyPath), let value = root.value(at: path) else {
            throw ClientError(
                .responseSerializationFailed(.jsonSerializationFailed),
                message: "the JSON has nothing at \(keyPath)"
            ).carrying(self)
        }
        return value
    }
}
