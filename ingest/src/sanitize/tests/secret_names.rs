//! Names of secrets in structured records, and secrets in their place.

use super::masks;

#[test]
fn names_of_secrets_are_left() {
    for line in [
        r#"{"eventName":"GetSecretValue","requestParameters":{"secretId":"prod/db-password"}}"#,
        r#"{"requestParameters":{"secretId":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-password-AbCdEf"}}"#,
        r#"{"resources":[{"ARN":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf","type":"AWS::SecretsManager::Secret"}]}"#,
        r#"{"additionalEventData":{"SecretId":"x"},"responseElements":{"aRN":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-AbCdEf"}}"#,
        r#"{"requestParameters":{"name":"/prod/db/password","withDecryption":true}}"#,
        r#"{"objectRef":{"resource":"secrets","namespace":"prod","name":"db-password"},"verb":"get"}"#,
        r#"{"requestURI":"/api/v1/namespaces/prod/secrets/db-password"}"#,
        r#"{"spec":{"volumes":[{"name":"certs","secret":{"secretName":"db-tls","optional":false}}]}}"#,
        r#"{"spec":{"volumes":[{"secret":{"name":"db-tls","optional":false}}]}}"#,
        r#"{"valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}"#,
        r#"{"imagePullSecrets":[{"name":"registry-token"}]}"#,
        r#"{"secretRef":{"name":"db-password"}}"#,
        r#"{"tls":{"credentialName":"gateway-cert"}}"#,
        r#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","resource":"tokenreviews"}"#,
        r#"{"protoPayload":{"resourceName":"projects/shop/secrets/db-password/versions/1"}}"#,
        r#"{"request":{"name":"projects/shop/secrets/db-password","secret":"projects/shop/secrets/db-password"}}"#,
        r#"{"properties":{"id":"https://shop.vault.azure.net/secrets/db-password/1f2e3d"}}"#,
        r#"{"responseElements":{"credentials":{"accessKeyId":"ASIAIOSFODNN7EXAMPLE","userName":"bob"}}}"#,
        r#"{"accessKey":{"accessKeyId":"AKIAIOSFODNN7EXAMPLE","userName":"bob","status":"Active"}}"#,
        r#"{"keyId":"arn:aws:kms:eu-west-1:123456789012:key/mrk-1","credentialId":"abc","tokenId":7}"#,
        r#"{"password_policy":{"minimum":14},"passwordPolicy":"strict"}"#,
        r#"{"type":"request","request":{"path":"secret/data/prod/db-password","operation":"read"}}"#,
        r#"{"auth":{"accessor":"hmac-sha256:1f2e","display_name":"token-ci","policies":["default"]}}"#,
        r#"{"action":"org.update_actions_secret","secret_name":"DEPLOY_TOKEN","actor":"bob"}"#,
        r#"{"target":[{"type":"Token","displayName":"ci token","id":"T1"}]}"#,
    ] {
        masks(line);
    }
}

#[test]
fn secrets_in_the_place_of_their_names_are_masked() {
    for line in [
        r#"{"requestParameters":{"secretId":"prod/db","secret":"«ZwPw1234»"}}"#,
        r#"{"secret":{"secretName":"db-tls","data":"«ZwPw1234»"}}"#,
        r#"{"secret":{"name":"db-tls","value":"«ZwPw1234»"}}"#,
        r#"{"secret":{"name":"«Zw Pw!1234»"}}"#,
        r#"{"secret":{"name":{"first":"«ZwPw1234»"}}}"#,
        r#"{"password":{"name":"«ZwPw1234»"}}"#,
        r#"{"secret":"«db-password»"}"#,
        r#"{"secret":"«projects/shop/db-password»"}"#,
        r#"{"secret":"«arn:aws:s3:x»"}"#,
        r#"{"credentials":{"accessKeyId":"ASIAIOSFODNN7EXAMPLE","sessionToken":"«ZwPw1234»"}}"#,
        r#"{"credentials":{"accessKeyId":"ASIAIOSFODNN7EXAMPLE","more":"«ZwPw1234»"}}"#,
        r#"{"credentials":{"key":"«ZwPw1234»"}}"#,
        r#"{"credentials":{"user":"«password=ZwPw1234»"}}"#,
        r#"{"credentials":{"user":["«ZwPw1234»",{"user":"bob"}]}}"#,
        r#"{"credentials":{"user":{"more":"«ZwPw1234»"}}}"#,
        r#"{"token":{"id":"«ZwPw1234»"}}"#,
        r#"{"data":{"password":"«WndQdw==»"},"objectRef":{"name":"db"}}"#,
        r#"{"secretKey":"«ZwPw1234»","secretKeyRef":{"name":"db"}}"#,
        r#"{"name":"/prod/db/password","value":"«ZwPw1234»"}"#,
    ] {
        masks(line);
    }
}
