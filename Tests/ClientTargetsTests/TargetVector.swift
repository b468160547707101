import ClientLib
import Foundation
import ProxydClientTargets
import Testing

/// One case of another target layer's tests.
struct TargetVector {
    let id: String
    let task: String
    let options: [String: Any]
    let expected: [String: Any]
    let isAdopted: Bool
    private let parameters: Any?

    init(_ item: [String: Any]) throws {
        id = try #require(item["id"] as? String)
        options = try #require(item["options"] as? [String: Any])
        expected = try #require(item["expected"] as? [String: Any])
        task = try #require(options["task"] as? String)
        isAdopted = item["adopt"] as? String == "yes"
        parameters = item["parameters"]
    }

    var fails: Bool { expected["error"].map { !($0 is NSNull) } ?? false }
    var url: String? { options["url"] as? String }
    var method: HTTPMethod {
        (options["method"] as? String).map { HTTPMethod(rawValue: $0) } ?? .post
    }

    private struct Endless: Encodable, Sendable {
        let value = Float.infinity
    }

    /// The task that the case is about; nil where it is about something else.
    var requestTask: RequestTask? {
        let data = Array((options["data"] as? String ?? "").utf8)
        let wanted = Self.parameter(parameters)
        switch task {
        case "requestPlain": return .requestPlain
        case "requestData": return .requestData(data)
        case "requestCustomJSONEncodable":
            return fails
                ? .requestCustomJSONEncodable(Endless(), encoder: JSONEncoder())
                : .requestCustomJSONEncodable(["at": Date.distantPast], encoder: dating)
        case "requestParameters":
            // No parameter is opaque to us; what a property list has no form for fails the same.
            return .requestParameters(parameters: ["": .null], encoding: PropertyListEncoding())
        case "requestCompositeData":
            return .requestCompositeData(bodyData: data, urlParameters: wanted)
        case "requestCompositeParameters":
            return .requestCompositeParameters(
                bodyParameters: Self.parameter(options["bodyParameters"]),
                bodyEncoding: bodyEncoding, urlParameters: wanted)
        case "uploadFile": return .uploadFile(URL(filePath: "/dev/null"))
        case "uploadCompositeMultipartFormData":
            return .uploadCompositeMultipart(MultipartFormData(), urlParameters: wanted)
        case "downloadDestination": return .downloadDestination { url, _ in (url, []) }
        case "downloadParameters":
            return .downloadParameters(parameters: wanted, encoding: JSONEncoding.default) {
                url, _ in (url, [])
            }
        default: return nil
        }
    }

    private var dating: JSONEncoder {
        let formatter = DateFormatter()
        formatter.dateFormat = options["dateFormat"] as? String
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .formatted(formatter)
        return encoder
    }

    private var bodyEncoding: any ParameterEncoding {
        switch options["bodyEncoding"] as? String {
        case "JSONEncoding": JSONEncoding.default
        case "URLEncoding.httpBody": URLEncoding.httpBody
        default: URLEncoding.queryString
        }
    }

    private static func parameter(_ pairs: Any?) -> Parameter {
        let pairs = pairs as? [[Any]] ?? []
        return .object(
            pairs.compactMap { pair in
                guard let name = pair.first as? String, let value = pair.last as? String else {
                    return nil
                }
                return Parameter.Member(name, .string(value))
            })
    }
}
