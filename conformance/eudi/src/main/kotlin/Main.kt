import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.jwk.gen.ECKeyGenerator
import com.nimbusds.jwt.SignedJWT
import com.nimbusds.jwt.JWTClaimsSet
import eu.europa.ec.eudi.openid4vci.*
import io.ktor.client.HttpClient
import io.ktor.client.plugins.api.Send
import io.ktor.client.plugins.api.createClientPlugin
import java.net.URI
import java.util.UUID
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.runBlocking

const val PROOF = "OAuth-Client-Attestation-PoP"

/** The library knows no challenges: this answers one as OAuth 2.0 Attestation-Based Client Authentication says (the request again, with it in the proof). */
fun answersChallenges(instance: ECKey) = createClientPlugin("AnswersChallenges") {
    on(Send) { request ->
        val first = proceed(request)
        val challenge = first.response.headers["OAuth-Client-Attestation-Challenge"]
        val proof = request.headers[PROOF]
        if (first.response.status.value < 400 || challenge == null || proof == null) {
            first
        } else {
            val sent = SignedJWT.parse(proof)
            val claims = JWTClaimsSet.Builder(sent.jwtClaimsSet).claim("challenge", challenge).jwtID(UUID.randomUUID().toString()).build()
            request.headers[PROOF] = SignedJWT(sent.header, claims).apply { sign(ECDSASigner(instance)) }.serialize()
            proceed(request)
        }
    }
}

/** A wallet by eudi-lib-jvm-openid4vci-kt, as its README shows: OFFER ATTESTATION KEY_OF_THE_WALLET TX_CODE COPIES alone|helped. */
fun main(arguments: Array<String>) = runBlocking {
    val (offer, attestation, instanceKey, txCode, copies) = arguments
    val isHelped = arguments[5] == "helped"
    val instance = ECKey.parse(instanceKey)
    val dpop = ECKeyGenerator(Curve.P_256).generate()
    val config = OpenId4VCIConfig(
        client = Client.Attested(
            ClientAttestationJWT(SignedJWT.parse(attestation)),
            ClientAttestationPoPJWTSpec(JWSAlgorithm.ES256, 5.minutes, jwsSigner = ECDSASigner(instance)),
        ),
        authFlowRedirectionURI = URI.create("https://wallet.example/callback"),
        keyGenerationConfig = KeyGenerationConfig.ecOnly(Curve.P_256),
        credentialResponseEncryptionPolicy = CredentialResponseEncryptionPolicy.SUPPORTED,
        dPoPSigner = PopSigner.jwtPopSigner(dpop, JWSAlgorithm.ES256, JwtBindingKey.Jwk(dpop.toPublicJWK())),
    )
    val clients: () -> HttpClient = {
        DefaultHttpClientFactory().let { if (isHelped) it.config { install(answersChallenges(instance)) } else it }
    }
    // Nor does it encrypt its requests, without which there are no encrypted answers (OID4VCI 1.0, 10).
    val unencrypted: ResponseEncryptionSpecFactory = { _, _ -> null }
    val encryption = if (isHelped) unencrypted else Issuer.DefaultResponseEncryptionSpecFactory
    val issuer = Issuer.make(config, offer, clients, encryption).getOrThrow()
    val authorized = with(issuer) { authorizeWithPreAuthorizationCode(txCode).getOrThrow() }
    val signers = List(copies.toInt()) {
        val key = ECKeyGenerator(Curve.P_256).generate()
        PopSigner.jwtPopSigner(key, JWSAlgorithm.ES256, JwtBindingKey.Jwk(key.toPublicJWK()))
    }
    val wanted = IssuanceRequestPayload.ConfigurationBased(issuer.credentialOffer.credentialConfigurationIdentifiers.first())
    val (_, outcome) = with(issuer) { authorized.request(wanted, signers).getOrThrow() }
    when (outcome) {
        is SubmissionOutcome.Success -> outcome.credentials.forEach { println((it.credential as Credential.Str).value) }
        is SubmissionOutcome.Failed -> throw outcome.error
        is SubmissionOutcome.Deferred -> error("deferred")
    }
}
