//! Names of secrets are identifiers: who reads or lists which secret is what detection counts. The twin of each case holds
//! a secret in the same place.

use crate::{Policy, Redactor};

fn redactor() -> Redactor {
    Redactor::new(&Policy::default()).unwrap()
}

/// Texts with the name of a secret, and the same with a secret.
const TWINS: &[(&str, &str)] = &[
    // AWS Secrets Manager and Parameter Store: ARNs, and parameters of calls.
    (
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-password-AbCdEf",
        "secret:«prod/db-password-AbCdEf»",
    ),
    (
        r#"{"secretId":"arn:aws:secretsmanager:us-east-1:123456789012:secret:billing/stripe-4xYz12"}"#,
        r#"{"secretId":"billing","secret":"«stripe-4xYz12»"}"#,
    ),
    (
        r#"{"sEcretARN":"arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:ops-a1B2c3"}"#,
        r#"{"sEcretARN":"ops","secretString":"x","client_secret":"«ops-a1B2c3»"}"#,
    ),
    (
        "not authorized to perform: secretsmanager:GetSecretValue on resource: arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:rds!db-1f2e3d4c-AbCdEf",
        "secretsmanager:GetSecretValue returned secret=«rds!db-1f2e3d4c-AbCdEf»",
    ),
    (
        "aws secretsmanager get-secret-value --secret-id prod/db-password",
        "vault login --token «prod/db-password-AbCd»",
    ),
    (
        "valueFrom=arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-AbCdEf:password::",
        "password=«app-AbCdEf»",
    ),
    (r#"{"name":"/prod/db/password","withDecryption":true}"#, r#"{"name":"db_password","value":"«Zq8xW2»"}"#),
    ("aws ssm get-parameter --name /prod/db/password", "aws ssm put-parameter --name x --token «Zq8xW2»"),
    // Google Secret Manager.
    ("projects/shop/secrets/db-password/versions/latest", "projects/shop?token=«versions/latest»"),
    (
        r#"{"secretId":"db-password","parent":"projects/shop"}"#,
        r#"{"secret":"«db-password»","parent":"projects/shop"}"#,
    ),
    (r#"{"secret":"projects/shop/secrets/db-password"}"#, r#"{"secret":"«projects/shop/db-password»"}"#),
    (
        r#"{"secret": "projects/123456/secrets/api-token/versions/3"}"#,
        r#"{"secret": "«projects-123456-secrets»"}"#,
    ),
    ("gcloud secrets versions access latest --secret=db-password", "app --client-secret=«db-password»"),
    ("gcloud secrets versions access latest --secret db-password", "app --client-secret «db-password»"),
    ("gcloud secrets versions access 5 --secret=\"stripe\"", "gcloud x --token=\"«stripe»\""),
    // Azure Key Vault.
    ("https://shop.vault.azure.net/secrets/db-password/1f2e3d", "https://shop.example/?secret=«db-password»"),
    ("az keyvault secret show --name db-password --vault-name shop", "az login --password «db-password»"),
    ("Secret db-password was retrieved from vault shop", "secret=«db-password» was retrieved"),
    ("{\"id\":\"https://shop.vault.azure.net/secrets/api-key\"}", "{\"api-key\":\"«https-shop»\"}"),
    // Kubernetes.
    ("kubectl get secret db-password -o yaml", "kubectl config set-credentials a --token «db-password»"),
    ("kubectl get secrets/db-password -n prod", "kubectl --token=«secrets/db-password» -n prod"),
    (r#"secrets "db-password" is forbidden"#, r#"secret "x", secret: "«db-password»""#),
    (r#"secret "db-password" not found"#, r#"secret="«db-password»""#),
    ("/api/v1/namespaces/prod/secrets/db-password", "/api/v1/x?secret=«db-password»"),
    (r#"{"resource":"secrets","name":"db-password"}"#, r#"{"resource":"secrets","token":"«db-password»"}"#),
    ("secretName: db-password", "secret: «db-password»"),
    (r#"{"secretName":"db-password"}"#, r#"{"secretText":"«x»","clientSecret":"«db-password»"}"#),
    (r#"{"credentialName":"gateway-cert"}"#, r#"{"credential":"«gateway-cert»"}"#),
    (r#""secretKeyRef":{"name":"db","key":"password"}"#, r#""secretKey":"«db»""#),
    (r#""secretRef":{"name":"db-password"}"#, r#""secret":"«db-password»""#),
    (r#""imagePullSecrets":[{"name":"registry"}]"#, r#""pullSecret":"«registry»""#),
    (r#""secret":{"secretName":"db-tls","defaultMode":420}"#, r#""secret":"«db-tls»""#),
    ("tokenReviews.authentication.k8s.io", "token=«authentication.k8s.io»"),
    (
        r#"{"kind":"TokenReview","resource":"tokenreviews"}"#,
        r#"{"kind":"TokenReview","token":"«tokenreviews»"}"#,
    ),
    (
        "MountVolume.SetUp failed for volume \"certs\" : secret \"db-tls\" not found",
        "volume \"certs\" : secret: \"«db-tls»\"",
    ),
    (
        "kubectl create secret generic db-password",
        "kubectl create secret generic x --from-literal=password=«pw-pw»",
    ),
    ("kubectl delete secret db-password api-token", "kubectl x --password «db»"),
    // Vault.
    (r#"{"path":"secret/data/prod/db-password"}"#, r#"{"path":"x","secret":"«data/prod/db-password»"}"#),
    ("vault kv get secret/prod/db-password", "vault login token=«secret/prod/db»"),
    ("vault secrets list -detailed", "vault -token «list-detailed»"),
    // Policies, types, counts and ids.
    ("password_policy=strict", "password=«strict»"),
    ("passwordPolicy: minimum 14", "password=«minimum14»"),
    ("password_last_changed=2026-01-02", "password=«2026-01-02»"),
    ("passwordLastUsed=2026-01-02", "passwd=«2026-01-02»"),
    ("token_type=bearer token_count=3", "token=«bearer3»"),
    ("tokenId=4711", "token=«4711»"),
    ("secret_id=4711 secretVersion=3", "secret=«4711»"),
    ("credentialId=abc credential_type=public-key", "credential=«abc»"),
    ("keyId=mrk-1234 kms_key_id=alias/shop", "apiKey=«mrk-1234»"),
    ("apiKeyId=kx7 api_key_name=deploy", "api_key=«kx7»"),
    ("access_key_id=AKIAIOSFODNN7EXAMPLE", "secret_access_key=«AKIbIOSFODNN7EXAMPLE»"),
    ("private_key_id=1f2e3d4c", "private_key=«1f2e3d4c»"),
    ("token_name=deploy tokenName: ci", "token=«deploy»"),
    ("secret_name=deploy secret.name=ci", "secret=«deploy»"),
    ("password_id=5 password_reset=requested", "password=«5»"),
    ("credentialsProvider=static credentials_file=/etc/x", "credentials=«static»"),
    ("secretsManager=enabled secret_store=vault", "secret=«enabled»"),
    ("key_name=deploy keyPairName=ops", "signing_key=«deploy»"),
    ("sessionTokenDuration=3600", "sessionToken=«36003600»"),
    ("client_secret_expires_at=0", "client_secret=«0»"),
    ("GetSecretValue ListSecrets CreateApiKey", "api-key=«ListSecrets»"),
    ("secretsmanager.amazonaws.com", "secret=«manager.amazonaws.com»"),
    (
        r#"{"action":"org.update_actions_secret","key":"DEPLOY_TOKEN"}"#,
        r#"{"key":"DEPLOY_TOKEN","value":"«org.update»"}"#,
    ),
    (r#"{"secret_type":"github_personal_access_token"}"#, r#"{"personal_access_token":"«github»"}"#),
    (
        r#"{"name":"AWS_SECRET_ACCESS_KEY","visibility":"all"}"#,
        r#"{"name":"AWS_SECRET_ACCESS_KEY","value":"«all»"}"#,
    ),
];

#[test]
fn names_of_secrets_are_left_and_secrets_in_their_place_are_not() {
    let redactor = redactor();
    let mut wrong = Vec::new();
    let found = |text: &str| {
        let mut matches = Vec::new();
        redactor.find(text.as_bytes(), &mut matches);
        matches.iter().map(|found| text[found.start..found.end].to_owned()).collect::<Vec<_>>()
    };
    for (name, secret) in TWINS {
        let names = found(name);
        if !names.is_empty() {
            wrong.push(format!("{name}\n  masked: {names:?}"));
        }
        let marked: Vec<_> = secret.split(['«', '»']).skip(1).step_by(2).map(str::to_owned).collect();
        let found = found(&secret.replace(['«', '»'], ""));
        if found != marked {
            wrong.push(format!("{secret}\n  masked: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(TWINS.len() >= 60, "{}", TWINS.len());
}
