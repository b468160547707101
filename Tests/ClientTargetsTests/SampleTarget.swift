import ClientLib
import ProxydClientTargets

/// A target of which tests set what they need.
struct SampleTarget: TargetType, AccessTokenAuthorizable {
    var baseURL: RawURL = "https://api.test/v1/"
    var path = "users"
    var method = HTTPMethod.get
    var task = RequestTask.requestPlain
    var headers: HeaderFields?
    var sampleData = Array("sample".utf8)
    var validationType = ValidationType.none
    var authorizationType: AuthorizationType?
    private var ownSample: SampleResponse?

    init() {}

    init(_ task: RequestTask, method: HTTPMethod = .get, path: String = "users") {
        self.task = task
        self.method = method
        self.path = path
    }

    var sample: SampleResponse {
        get { ownSample ?? .networkResponse(200, sampleData) }
        set { ownSample = newValue }
    }

    /// A target that is answered so.
    static func answered(_ status: Int, _ body: String = "") -> SampleTarget {
        var target = SampleTarget()
        target.sample = .networkResponse(status, Array(body.utf8))
        return target
    }
}

/// A target that says only what a target must say.
struct PlainTarget: TargetType {
    let baseURL: RawURL = "https://plain.test"
    let path = "/a"
    let method = HTTPMethod.post
    let task = RequestTask.requestPlain
    let headers: HeaderFields? = nil
}
